export { ApiError } from './api-error.ts';
export { createClient, unwrap } from './client.ts';
export type { ApiResult, ClientSettings, QuaysideClient } from './client.ts';
export type {
  components,
  ErrorCode,
  ListItem,
  ListPath,
  paths,
  QuaysideEvent,
  QuaysideEventType,
  WebhookEvent,
  WebhookEventType,
} from './contract.ts';
export { followEvents } from './follow-events.ts';
export type { FollowSettings } from './follow-events.ts';
export { paginate } from './paginate.ts';
export type { RetryPolicy } from './retry.ts';
export { uploadFile } from './upload-file.ts';
export { signWebhook, verifyWebhook, WebhookVerificationError } from './webhooks.ts';
export type { VerifySettings, WebhookHeaders } from './webhooks.ts';
