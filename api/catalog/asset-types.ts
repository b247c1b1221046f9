import { notFound } from '../../shared/kit/errors.ts';
import type { Handler } from '../handler.ts';

/** Every attribute template of this marketplace. */
export const listAssetTypes: Handler<'listAssetTypes'> = ({ profile }) => ({
  status: 200,
  body: { results: [...profile.assetTypes] },
});

/** One attribute template by its id. */
export const getAssetType: Handler<'getAssetType'> = ({ catalog }, { params }) => {
  const assetType = catalog.assetType(params.type);
  if (!assetType) throw notFound('asset type', params.type);
  return { status: 200, body: assetType };
};
