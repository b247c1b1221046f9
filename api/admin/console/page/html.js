import htm from 'htm';
import { h } from 'preact';

/** Markup as tagged templates; every value in it is text or an attribute, never markup. */
export const html = htm.bind(h);
