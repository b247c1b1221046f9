import { z } from 'zod';
import type { WorkerServices } from '../services.ts';

/** A webhook by its address, and where it is told how one is switched on. */
export const webhookFields = z.object({ url: z.string(), guide: z.url({ protocol: /^https?$/ }) });

/** The data of a mail about a webhook with the operation that switches it on, in the API's own reference, whatever the site is. */
export const loadWebhook = async (
  { config }: Pick<WorkerServices, 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown>> => ({ ...data, guide: `${config.baseUrl}/api/docs#/webhooks/updateWebhook` });
