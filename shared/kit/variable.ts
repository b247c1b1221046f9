import { z } from 'zod';

/** An empty variable counts as unset, as in a shell. */
export const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

/** A variable that is unset or empty has the value of `fallback`. */
export const withDefault = <T extends z.ZodType>(schema: T, fallback: z.input<T>) =>
  z.preprocess((value) => (value === undefined || value === '' ? fallback : value), schema);

/** An http(s) address, without the slashes at its end. */
export const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, ''));

/** Texts with commas between them, without the blank ones. */
export const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);
