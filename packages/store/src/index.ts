export { type OpenedStore, openStore, type StoreOptions } from "./open.ts";
