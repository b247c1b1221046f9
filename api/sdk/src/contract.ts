import type { components, paths, webhooks } from '../../openapi.gen.ts';

export type { components, paths };

/** The answer of an operation with that status and method, as JSON. */
type JsonOf<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never;

type Listed<Path extends keyof paths> = JsonOf<paths[Path]['get']> extends { results: (infer Item)[] } ? Item : never;

/** The paths that answer `{results}` by pages. */
export type ListPath = {
  [Path in keyof paths]: JsonOf<paths[Path]['get']> extends
    | { results: unknown[]; pagination: unknown }
    | { results: unknown[]; next_after: number }
    ? Path
    : never;
}[keyof paths];

/** One entry of a list. */
export type ListItem<Path extends ListPath> = Listed<Path>;

/** Every code that an answer may carry, and `unknown` where something between client and service has answered. */
export type ErrorCode = components['schemas']['ErrorCode'] | 'unknown';

type FeedEvent = components['schemas']['Event'];
export type QuaysideEventType = FeedEvent['type'];

type OfType<Event extends { type: string }, Type extends string> = Event extends unknown
  ? Type extends Event['type']
    ? Omit<Event, 'type'> & { type: Type }
    : never
  : never;

/** One entry of the feed, told apart by its `type`. */
export type QuaysideEvent = { [Type in QuaysideEventType]: OfType<FeedEvent, Type> }[QuaysideEventType];

type WebhookBody<Type extends keyof webhooks> = webhooks[Type]['post']['requestBody']['content']['application/json'];
export type WebhookEventType = keyof webhooks;

/** What is posted to a webhook, told apart by its `type`. */
export type WebhookEvent = {
  [Type in WebhookEventType]: OfType<WebhookBody<Type> & { type: Type }, Type>;
}[WebhookEventType];
