export { Book, type Piece } from "./book.ts";
export { FEATURE_GROUPS, FEATURES, readFeatures } from "./features/index.ts";
export { missedLine } from "./missed-line.ts";
export { type NeedModel, type NeedModelFile, readNeedModel } from "./need-model.ts";
export { PassView } from "./pass-view.ts";
export { ledgerText, rowsOfLedger, type SegmentName } from "./render.ts";
export { chooseLedger, type LedgerChoice, type RowSource } from "./segments.ts";
