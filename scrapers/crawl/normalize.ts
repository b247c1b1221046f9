export { createNormalize, type Normalize } from '../../shared/scrapers/site-normalizer.ts';
