/** Stored images fit into a square of this many pixels. */
export const MAX_IMAGE_SIDE = 2_048;
/** Thumbnails fit into a square of this many pixels. */
export const THUMBNAIL_SIDE = 400;
