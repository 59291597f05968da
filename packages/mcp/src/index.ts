export { createMcp, type Mcp, type McpOptions, type McpTools } from "./hub.ts";
