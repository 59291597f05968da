import { anthropicMessages, ollamaChat, openAiResponses } from "@smith/testkit";
import { chatModelSuite } from "@smith/testkit/suites";
import { createAiSdk, createAnthropic, createOllama, createOpenAiChat, createOpenAiResponses } from "../src/index.ts";

const options = { provider: "default", api_key: "sk-test", api_key_env: "LLM_API_KEY", timeouts: {} };

chatModelSuite("openai-chat, streaming,", (api_url) => createOpenAiChat({ ...options, api_url, stream: true }));
chatModelSuite("openai-chat, whole,", (api_url) => createOpenAiChat({ ...options, api_url, stream: false }), {
  streams: false,
});

chatModelSuite("anthropic, streaming,", (api_url) => createAnthropic({ ...options, api_url, stream: true }), {
  wire: anthropicMessages,
});
chatModelSuite("anthropic, whole,", (api_url) => createAnthropic({ ...options, api_url, stream: false }), {
  wire: anthropicMessages,
  streams: false,
});

chatModelSuite(
  "openai-responses, streaming,",
  (api_url) => createOpenAiResponses({ ...options, api_url, stream: true }),
  {
    wire: openAiResponses,
  },
);
chatModelSuite("openai-responses, whole,", (api_url) => createOpenAiResponses({ ...options, api_url, stream: false }), {
  wire: openAiResponses,
  streams: false,
});

chatModelSuite("ollama, streaming,", (api_url) => createOllama({ ...options, api_url, stream: true }), {
  wire: ollamaChat,
});
chatModelSuite("ollama, whole,", (api_url) => createOllama({ ...options, api_url, stream: false }), {
  wire: ollamaChat,
  streams: false,
});

const aiSdk = {
  ...options,
  package: "@ai-sdk/openai-compatible",
  package_dirs: [import.meta.dirname.replace(/test$/, "")],
};
chatModelSuite("ai_sdk, streaming,", (api_url) => createAiSdk({ ...aiSdk, api_url, stream: true }), {
  gaps: { "the end mark without a finish reason": "packages don't tell that the end mark came" },
});
chatModelSuite("ai_sdk, whole,", (api_url) => createAiSdk({ ...aiSdk, api_url, stream: false }), { streams: false });
