import { chatModelSuite } from "@smith/testkit/suites";
import { createOpenAiChat } from "../src/index.ts";

const options = { provider: "default", api_key: "sk-test", api_key_env: "LLM_API_KEY", timeouts: {} };

chatModelSuite("openai-chat, streaming,", (api_url) => createOpenAiChat({ ...options, api_url, stream: true }));
chatModelSuite("openai-chat, whole,", (api_url) => createOpenAiChat({ ...options, api_url, stream: false }), {
  streams: false,
});
