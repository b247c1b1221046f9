import { notFound } from '../../shared/kit/errors.ts';
import type { Handler } from '../handler.ts';
import { localized } from './categories.ts';

/** Every attribute template of this marketplace, with the labels of attributes in the locale. */
export const listAssetTypes: Handler<'listAssetTypes'> = ({ catalog }, { locale }) => ({
  status: 200,
  headers: localized(locale),
  body: { results: catalog.assetTypes().map((each) => catalog.localizedAssetType(each, locale)) },
});

/** One attribute template by its id. */
export const getAssetType: Handler<'getAssetType'> = ({ catalog }, { params, locale }) => {
  const assetType = catalog.assetType(params.type);
  if (!assetType) throw notFound('asset type', params.type);
  return { status: 200, headers: localized(locale), body: catalog.localizedAssetType(assetType, locale) };
};
