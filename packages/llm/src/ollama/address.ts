export const OLLAMA_URL = "http://127.0.0.1:11434";

/** The ends of an address that people copy along. */
export const OLLAMA_BASE_END = /\/(?:v1|api)$/;
