export { default as fc } from "fast-check";
export { anyText, transcript, userMessage } from "./arbitraries.ts";
export { type ChatModelSuiteOptions, chatModelSuite, type MakeChatModel } from "./chat-model.ts";
export { childRunnerSuite, type MakeChildRunner, type RunnerGround, type RunnerUnderTest } from "./child-runner.ts";
export { type MakeStore, type StoreUnderTest, storeSuite } from "./store.ts";
