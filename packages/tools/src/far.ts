/*
 * What the web and host tools run with: one module, loaded at the first call of any of them. One, since each further
 * entry would cut what it shares with the start into a file of its own, which every start would then load.
 */
export { diskUsage } from "./host/disk-usage.ts";
export { getEnv } from "./host/env-get.ts";
export { listDir } from "./host/list-dir.ts";
export { listProcesses } from "./host/process-list.ts";
export { fetchPage } from "./web/fetch.ts";
export { requestHttp } from "./web/request.ts";
export { searchWeb } from "./web/search.ts";
