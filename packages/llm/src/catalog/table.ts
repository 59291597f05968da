/** When the table was put together, from the vendors' public price lists. */
export const VENDORED_ON = "2026-11-20";

/**
 * Models of vendors that are reached directly, a line each under their vendor:
 * id, window and longest answer in tokens, whether it thinks, then dollars per million tokens of input, output, cache
 * read and cache write; behind `>N` the same for requests with more than N tokens of input. `-`: none, or not told.
 */
export const TABLE = `
@anthropic
claude-fable-5 1000000 128000 y 10 50 1 12.5
claude-fable-5-1 1000000 128000 y 10 50 0.25 12.5
claude-fable-5-2 1000000 128000 y 8 40 0.2 10
claude-haiku-4-5 200000 64000 y 1 5 0.1 1.25
claude-haiku-4-5-20251001 200000 64000 y 1 5 0.1 1.25
claude-haiku-5-5 1000000 128000 y 0.1 0.5 0.01 0.125 >100000 0.5 2.5 0.05 0.625
claude-opus-4-5 200000 64000 y 5 25 0.5 6.25
claude-opus-4-5-20251101 200000 64000 y 5 25 0.5 6.25
claude-opus-4-6 1000000 128000 y 5 25 0.5 6.25
claude-opus-4-7 1000000 128000 y 5 25 0.5 6.25
claude-opus-4-8 1000000 128000 y 5 25 0.5 6.25
claude-opus-5 1000000 128000 y 5 25 0.5 6.25
claude-opus-5-5 1000000 128000 y 4 20 0.2 5
claude-sonnet-4-5 200000 64000 y 3 15 0.3 3.75
claude-sonnet-4-5-20250929 200000 64000 y 3 15 0.3 3.75
claude-sonnet-4-6 1000000 128000 y 3 15 0.3 3.75
claude-sonnet-5 1000000 128000 y 2 10 0.2 2.5
claude-sonnet-5-5 1000000 128000 y 2 10 0.1 2.5
@openai
chat-latest 400000 128000 y 5 30 0.5 -
gpt-4 8192 8192 n 30 60 - -
gpt-4-turbo 128000 4096 n 10 30 - -
gpt-4.1 1047576 32768 n 2 8 0.5 -
gpt-4.1-mini 1047576 32768 n 0.4 1.6 0.1 -
gpt-4.1-nano 1047576 32768 n 0.1 0.4 0.025 -
gpt-4o 128000 16384 n 2.5 10 1.25 -
gpt-4o-2024-05-13 128000 4096 n 5 15 - -
gpt-4o-2024-08-06 128000 16384 n 2.5 10 1.25 -
gpt-4o-2024-11-20 128000 16384 n 2.5 10 1.25 -
gpt-4o-mini 128000 16384 n 0.15 0.6 0.075 -
gpt-5 400000 128000 y 1.25 10 0.125 -
gpt-5-chat-latest 128000 16384 n 1.25 10 0.125 -
gpt-5-mini 400000 128000 y 0.25 2 0.025 -
gpt-5-nano 400000 128000 y 0.05 0.4 0.005 -
gpt-5-pro 400000 128000 y 15 120 - -
gpt-5.1 400000 128000 y 1.25 10 0.125 -
gpt-5.2 400000 128000 y 1.75 14 0.175 -
gpt-5.2-pro 400000 128000 y 21 168 - -
gpt-5.3-codex 400000 128000 y 1.75 14 0.175 -
gpt-5.3-codex-spark 128000 32000 y 1.75 14 0.175 -
gpt-5.4 272000 128000 y 2.5 15 0.25 - >272000 5 22.5 0.5 -
gpt-5.4-mini 400000 128000 y 0.75 4.5 0.075 -
gpt-5.4-nano 400000 128000 y 0.2 1.25 0.02 -
gpt-5.4-pro 1050000 128000 y 30 180 - - >272000 60 270 - -
gpt-5.5 272000 128000 y 5 30 0.5 - >272000 10 45 1 -
gpt-5.5-pro 1050000 128000 y 30 180 - - >272000 60 270 - -
gpt-5.6-cyber 400000 128000 y 12.5 75 1.25 15.625
gpt-5.6-luna 272000 128000 y 0.2 1.2 0.02 0.25 >272000 0.4 1.8 0.04 0.5
gpt-5.6-sol 272000 128000 y 4 20 0.4 5 >272000 8 30 0.8 10
gpt-5.6-terra 272000 128000 y 2 12 0.2 2.5 >272000 4 18 0.4 5
gpt-6-astra 272000 128000 y 10 50 1 12.5 >272000 20 75 2 25
gpt-6-cyber 1050000 128000 y 20 100 2 25
gpt-6-luna 272000 128000 y 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
gpt-6-sol 272000 128000 y 2 10 0.2 2.5 >272000 4 15 0.4 5
gpt-6.1-sol 272000 128000 y 2 10 0.1 2.5 >272000 4 15 0.2 5
gpt-6.1-terra 272000 128000 y 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
gpt-6.2-astra 272000 128000 y 8 40 0.4 10 >272000 16 60 0.8 20
gpt-6.2-sol 272000 128000 y 2 10 0.1 2.5 >272000 4 15 0.2 5
gpt-daybreak-blue-latest 1050000 128000 y 4 20 0.4 5 >272000 8 30 0.8 10
gpt-daybreak-red-latest 400000 128000 y 12.5 75 1.25 15.625
o1 200000 100000 y 15 60 7.5 -
o1-pro 200000 100000 y 150 600 - -
o3 200000 100000 y 2 8 0.5 -
o3-mini 200000 100000 y 1.1 4.4 0.55 -
o3-pro 200000 100000 y 20 80 - -
o4-mini 200000 100000 y 1.1 4.4 0.275 -
@google
deep-research-max-preview-04-2026 1048576 65536 y 2 12 0.2 - >200000 4 18 0.4 -
deep-research-preview-04-2026 1048576 65536 y 2 12 0.2 - >200000 4 18 0.4 -
gemini-2.5-computer-use-preview-10-2025 128000 64000 y 1.25 10 - -
gemini-2.5-flash 1048576 65536 y 0.3 2.5 0.03 -
gemini-2.5-flash-lite 1048576 65536 y 0.1 0.4 0.01 -
gemini-2.5-pro 1048576 65536 y 1.25 10 0.125 - >200000 2.5 15 0.25 -
gemini-3-flash-preview 1048576 65536 y 0.5 3 0.05 -
gemini-3.1-flash-lite 1048576 65536 y 0.25 1.5 0.025 -
gemini-3.1-flash-lite-preview 1048576 65536 y 0.25 1.5 0.025 -
gemini-3.1-pro-preview 1048576 65536 y 2 12 0.2 - >200000 4 18 0.4 -
gemini-3.1-pro-preview-customtools 1048576 65536 y 2 12 0.2 - >200000 4 18 0.4 -
gemini-3.5-flash 1048576 65536 y 1.5 9 0.15 -
gemini-3.5-flash-lite 1048576 65536 y 0.3 2.5 0.03 -
gemini-3.6-flash 1048576 65536 y 0.75 3.75 0.075 -
gemini-3.7-flash 1048576 65536 y 0.75 3.75 0.075 -
gemini-3.8-flash 1048576 65536 y 0.75 3.75 0.075 -
gemini-4-argon 1048576 32768 y 2 10 0.1 -
gemini-4-carbon 1048576 32768 y 2 10 0.1 -
gemini-4-hydrogen 1048576 65536 y 1.5 7.5 0.075 -
gemini-4-neon 1048576 65536 y 3 15 0.15 -
gemini-flash-latest 1048576 65536 y 1.5 9 0.15 -
gemini-flash-lite-latest 1048576 65536 y 0.25 1.5 0.025 -
gemini-pro-latest 1048576 65536 y 2 12 0.2 - >200000 4 18 0.4 -
gemini-robotics-er-2-preview 131072 65536 y 1 5 0.1 -
gemma-4-26b-a4b-it 262144 32768 y - - - -
gemma-4-31b-it 262144 32768 y - - - -
@deepseek
deepseek-flash 1000000 384000 y 0.3 1.2 0.006 -
deepseek-v4-pro 1000000 384000 y 1.32 3.96 0.044 -
@mistral
codestral-2508 256000 8192 n 0.3 0.9 0.03 -
codestral-latest 256000 4096 n 0.3 0.9 0.03 -
deepseek-v4-1-flash-1017 1048576 128000 y 0.3 1.2 0.007 -
devstral-2512 262144 262144 n 0.4 2 0.04 -
devstral-latest 262144 262144 n 0.4 2 0.04 -
devstral-medium-latest 262144 262144 n 0.4 2 0.04 -
glm-5-2 1048576 131072 y 1.4 4.4 0.14 -
labs-devstral-small-2512 256000 256000 n - - - -
labs-leanstral-1-5-1 262144 128000 y - - - -
magistral-medium-latest 262144 16384 y 2 5 0.2 -
ministral-14b-2512 262144 262144 n 0.2 0.2 0.02 -
ministral-3b-2512 131072 131072 n 0.1 0.1 0.01 -
ministral-3b-latest 131072 128000 n 0.1 0.1 0.01 -
ministral-8b-2512 262144 262144 n 0.15 0.15 0.015 -
ministral-8b-latest 262144 128000 n 0.15 0.15 0.015 -
mistral-large-2512 262144 262144 n 0.5 1.5 0.05 -
mistral-large-4 1048576 262144 y 0.7 2.1 0.07 -
mistral-large-4-0-8 1048576 262144 y 0.7 2.1 0.07 -
mistral-large-latest 1048576 262144 y 0.7 2.1 0.07 -
mistral-medium-2505 131072 131072 n 0.4 2 0.04 -
mistral-medium-2508 262144 262144 n 0.4 2 0.04 -
mistral-medium-2604 262144 262144 y 1.5 7.5 0.15 -
mistral-medium-3.5 262144 262144 y 1.5 7.5 - -
mistral-medium-latest 262144 262144 y 1.5 7.5 0.15 -
mistral-small-2506 128000 16384 n 0.1 0.3 0.01 -
mistral-small-2603 262144 256000 y 0.15 0.6 0.015 -
mistral-small-latest 262144 256000 y 0.15 0.6 0.015 -
open-mistral-nemo 128000 128000 n 0.15 0.15 0.015 -
pixtral-12b 128000 128000 n 0.15 0.15 0.015 -
voxtral-small-2507 32768 32000 n 0.1 0.4 0.01 -
voxtral-small-latest 32768 32000 n 0.1 0.4 0.01 -
zai-glm-5-2 1048576 131072 y 1.4 4.4 0.14 -
zai-glm-5-3 1048576 131072 y 1.4 4.4 0.14 -
zai-glm-5-3-flash 1048576 131072 y 0.15 0.5 0.03 -
@xai
grok-4.3 1000000 30000 y 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
grok-4.5 500000 500000 y 2 6 0.3 - >200000 4 12 0.6 -
grok-4.6 500000 500000 y 2 6 0.5 - >200000 4 12 1 -
grok-4.7 500000 500000 y 2 6 0.5 - >200000 4 12 1 -
@groq
llama-3.1-8b-instant 131072 131072 n 0.05 0.08 - -
llama-3.3-70b-versatile 131072 32768 n 0.59 0.79 - -
openai/gpt-oss-120b 131072 65536 y 0.15 0.6 0.075 -
openai/gpt-oss-20b 131072 65536 y 0.075 0.3 0.0375 -
openai/gpt-oss-safeguard-20b 131072 65536 y 0.075 0.3 0.0375 -
qwen/qwen3.6-27b 131072 16384 y 0.6 3 0.3 -
qwen/qwen3.8-27b 131072 16384 y 0.8 4 - -
@moonshotai
kimi-k2.6 262144 262144 y 0.95 4 0.16 -
kimi-k2.7-code 262144 262144 y 0.95 4 0.19 -
kimi-k2.7-code-highspeed 262144 262144 y 1.9 8 0.38 -
kimi-k3 1048576 1048576 y 3 15 0.3 -
kimi-k3.1-pro 1048576 1048576 y 2 10 0.2 -
kimi-k3.1-pro-highspeed 1048576 1048576 y 4 20 0.2 -
@zai
glm-4.7 204800 131072 y 0.6 2.2 0.11 -
glm-5-turbo 200000 131072 y 1.2 4 0.24 -
glm-5.2 1000000 131072 y 1.4 4.4 0.26 -
glm-5.2-highspeed 1000000 131072 y - - - -
glm-5.3 1000000 131072 y 1.4 4.4 0.26 -
glm-5.3-flash 1000000 131072 y 0.15 0.5 0.03 -
glm-5.3-highspeed 1000000 131072 y - - - -
@cerebras
gpt-oss-120b 131072 40960 y 0.35 0.75 0.35 -
qwen-3.8-27b 131072 40960 y 0.99 1.49 0.99 -
`;
