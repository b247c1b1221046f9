import type { Response } from 'express';
import type { OperationId } from '../http/contract.ts';
import { createFormReader, type ReceivedForm } from '../http/multipart.ts';
import type { Services } from '../services.ts';
import { assertOwnForm, requireCaller, type Visit } from './visit.ts';

/**
 * Makes what receives a form with files for an operation of the contract, within its limits. The signature is in the address of
 * the form: no byte of the body is read before it is known to be one of our own, sent by whoever owns the thing. The files are
 * read when the page asks for them; what is returned discards them.
 */
export function createUploadReceiver(services: Services, id: OperationId) {
  const operation = services.contract.operations.find((each) => each.id === id);
  if (!operation?.form) throw new Error(`openapi.yaml: ${id} takes no form`);
  const { form, owned } = operation;
  const readForm = createFormReader(form, services.spool, services.writes);
  const assertOwner = owned === undefined ? undefined : services.assertOwner[owned];

  return async (visit: Visit, response: Response): Promise<() => Promise<void>> => {
    assertOwnForm(visit, visit.query._csrf);
    const { userId } = requireCaller(visit);
    await assertOwner?.(services.db, visit.params.id ?? '', userId);
    visit.form = { _once: typeof visit.query._once === 'string' ? visit.query._once : undefined };
    let received: Promise<ReceivedForm> | undefined;
    visit.readFiles = async () => {
      received ??= readForm(visit.request, response);
      return (await received).files;
    };
    return async () => {
      const read = await received?.catch(() => undefined);
      await read?.discard();
    };
  };
}
