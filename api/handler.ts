import type { OperationId } from './http/contract.ts';
import type { Answer, AuthenticatedRequest, Request } from './http/types.ts';
import type { Services } from './services.ts';

/** What answers an operation: from validated input, with whatever of the services it needs. */
export type Handler<Op extends OperationId> = (
  services: Services,
  request: Request<Op>,
) => Promise<Answer<Op>> | Answer<Op>;

/** As Handler, in operations that need a credential. */
export type AuthenticatedHandler<Op extends OperationId> = (
  services: Services,
  request: AuthenticatedRequest<Op>,
) => Promise<Answer<Op>> | Answer<Op>;
