export { safeLine, safeText } from "./safe.ts";
