export { CAPS, type Caps } from "./bus.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { chatOptions } from "./options.ts";
export type { Adapter, Answer, Inbound, Receive } from "./platform.ts";
export { runGateway } from "./run.ts";
