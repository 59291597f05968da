export { lookAtStore } from "./look.ts";
export { type OpenedStore, openStore, type StoreOptions } from "./open.ts";
