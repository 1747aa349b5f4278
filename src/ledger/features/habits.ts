import type { FeatureGroup } from "./feature-group.ts";

/** How often the assistant came back, in this session, to values of the same source, key and kind. */
export const habits: FeatureGroup = {
  names: ["h_source", "h_key", "h_kind", "h_kind_max", "h_key_max", "h_has_key"],
  read(line, view, out, at) {
    const { rates } = view.book;
    let keys = 0;
    let keySum = 0;
    let bestKey = Number.NEGATIVE_INFINITY;
    let kinds = 0;
    let kindSum = 0;
    let bestKind = Number.NEGATIVE_INFINITY;
    for (const value of line.values) {
      if (!view.isHidden(value)) continue;
      const kind = view.rateOfKind(value.kind);
      kinds++;
      kindSum += kind;
      if (kind > bestKind) bestKind = kind;
      if (value.keyRate === null) continue;
      const key = rates.relative(value.keyRate);
      keys++;
      keySum += key;
      if (key > bestKey) bestKey = key;
    }
    out[at] = view.rateOfSource(view.entryOf(line));
    out[at + 1] = keys === 0 ? 0 : keySum / keys;
    out[at + 2] = kinds === 0 ? 0 : kindSum / kinds;
    out[at + 3] = kinds === 0 ? 0 : bestKind;
    out[at + 4] = keys === 0 ? 0 : bestKey;
    out[at + 5] = line.key === null ? 0 : 1;
  },
};
