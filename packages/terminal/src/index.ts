export { createSafeStream, type SafeStream, safeLine, safeText } from "./safe.ts";
