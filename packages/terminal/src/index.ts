export { comboOf } from "./combo.ts";
export {
  type Completion,
  type CompletionCommand,
  type CompletionSources,
  complete,
  suffixes,
  type Words,
} from "./completion.ts";
export {
  DIFF_INLINE_BYTES,
  DIFF_INLINE_LINES,
  type DiffLine,
  type DiffStats,
  diffEdit,
  drawDiff,
  type EditDiff,
} from "./diff.ts";
export { HISTORY_MAX, type History, type HistoryPort, openHistory, remember } from "./history.ts";
export { drawInspect } from "./inspect/draw.ts";
export { inView, pressInspect } from "./inspect/keys.ts";
export { createInspect, type InspectEffect, type InspectState, reloadInspect, tellInspect } from "./inspect/state.ts";
export { type Key, type KeyOptions, type KeyStream, type Keys, readKeys } from "./keys.ts";
export { applyCompletion, edit } from "./line-editor.ts";
export { type EditorView, type Rendered, renderEditor } from "./line-editor-render.ts";
export {
  clearText,
  createEditor,
  type EditorEffect,
  type EditorState,
  insert,
  replaceText,
  textIn,
} from "./line-editor-state.ts";
export type { Cell } from "./live-area.ts";
export {
  createMarkdownStream,
  MARKDOWN_MAX,
  type MarkdownOptions,
  type MarkdownStream,
  renderMarkdown,
  warmMarkdown,
} from "./markdown.ts";
export { drawPager, type PagerLook } from "./pager/draw.ts";
export { PAGER_HELP } from "./pager/help.ts";
export { type PagerSize, pressPager, refitPager, reloadPager, toEnd } from "./pager/keys.ts";
export { createLayOut, loadMarkdown } from "./pager/layout.ts";
export type { PagerPlace, PagerSection } from "./pager/pages.ts";
export { createPager, frameOf, type PagerDocument, type PagerState } from "./pager/state.ts";
export { type TranscriptToShow, transcriptDocument } from "./pager/transcript.ts";
export { type PromptFacts, type PromptLineView, promptLine } from "./prompt-line.ts";
export type { Rain, RainOptions } from "./rain/start.ts";
export {
  ARGS_COLUMNS,
  accountRows,
  argsPreview,
  cancelledRow,
  type DispatchEnd,
  dispatchRows,
  ERROR_COLUMNS,
  errorPreview,
  errorRows,
  RESULT_COLUMNS,
  type RowOptions,
  type RunningCall,
  refusedRow,
  resultPreview,
  runningRow,
  toolRow,
  usageText,
} from "./rows.ts";
export { createSafeStream, type SafeStream, safeLine, safeText } from "./safe.ts";
export { createScreen, type Screen, type ScreenOptions, type ScreenOut, toCrlf } from "./screen.ts";
export { SPINNER_MS, spinnerFrame, startSpinner } from "./spinner.ts";
export { IDLE_STATUS, reduceStatus } from "./status.ts";
export { type ContextLevel, costText, elapsedText, levelOf, shortCount } from "./status-figures.ts";
export { type StatusLook, statusLines, statusWord } from "./status-lines.ts";
export type { Activity, ChildStatus, StatusView, Work, WorkCall } from "./status-view.ts";
export {
  backgroundOf,
  clipboardText,
  createTerminalQuestion,
  mayHaveGraphics,
  type TerminalFacts,
  type TerminalQuestion,
} from "./terminal-question.ts";
export { aliasOf, createTheme, type Paint, type PromptPaints, type Theme, type ThemeOptions } from "./theme.ts";
export { cut, TAB_COLUMNS, width, wrap } from "./width.ts";
