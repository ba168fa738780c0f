/**
 * Client: the package `@capture-service/client`, which calls the API over HTTP from Node, browsers and Deno. It depends on
 * nothing, neither on a package nor on a library of the service, and knows only what the API document says.
 */
export type { CatalogueFamily, CatalogueOption, CatalogueSchema } from './catalogue.js';
export { OPTION_CATALOGUE, OPTION_FAMILIES, type FormatOptions } from './generated/option-catalogue.js';
export { VERSION } from './generated/version.js';
