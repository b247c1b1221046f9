import type { OperationId } from '../../../api/http/contract.ts';
import { categoriesOf } from '../openapi-cases-things.ts';
import type { World } from '../openapi-cases-world.ts';
import type { Recipe } from './recipe.ts';

const categoryOf = ({ services }: World): [string, string] => ['category', categoriesOf(services)[0] ?? ''];

export const pricingRecipes: Partial<Record<OperationId, Recipe>> = {
  recommendPrice: (world) => ({ query: [categoryOf(world)] }),
  assessPrice: (world) => ({ query: [['price', '12000'], categoryOf(world)] }),
};
