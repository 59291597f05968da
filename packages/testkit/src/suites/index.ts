export { anyText, transcript, userMessage } from "./arbitraries.ts";
export { type ChatModelSuiteOptions, chatModelSuite, type MakeChatModel } from "./chat-model.ts";
export { type MakeStore, type StoreUnderTest, storeSuite } from "./store.ts";
