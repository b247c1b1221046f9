import { nautical } from '../../shared/profiles/nautical.ts';

// Loaded with --import before api/main.ts: the same process in every other respect, but every answer is computed.
nautical.responseCache = false;
