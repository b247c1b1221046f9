export const MIN_NODE: string;
export const isSupportedNode: boolean;
