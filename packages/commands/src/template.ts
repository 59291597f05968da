/** A starter file: `smith config template > ~/.config/smith/config.json`. Comments are allowed. */
export const CONFIG_TEMPLATE = `{
  // Any OpenAI-compatible endpoint. The key is read from the named variable, never from this file.
  "llm_config": {
    "api_url": "http://127.0.0.1:8080/v1",
    "api_key_env": "LLM_API_KEY"
  },
  "default_model": "my-model",

  // A model of its own for one role:
  // "models": { "explorer": "my-small-model" },

  // full: tools run at once. plan: nothing with side effects.
  "mode": "full"
}`;
