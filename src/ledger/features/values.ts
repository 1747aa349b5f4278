import { COUNTED_KINDS } from "../vocabulary.ts";
import type { FeatureGroup } from "./feature-group.ts";

const KINDS = COUNTED_KINDS.length;

/** The hidden values on the line: how many of which kind, how rare, and how they were used. */
export const values: FeatureGroup = {
  names: [
    ...COUNTED_KINDS.map((kind) => `nv_${kind}`),
    "nv",
    "nv_hidden_share",
    "s_idf",
    "s_idf_ment",
    "s_idf_rec5",
    "s_idf_rec15",
    "s_lment",
    "mx_idf",
    "mx_rec5",
    "mx_rec15",
    "mx_lment",
    "mx_reuse",
    "s_reuse",
    "n_df1",
    "s_err",
    "s_late",
    "mx_late",
    "s_idf_seen5",
    "s_idf_seen15",
  ],
  read(line, view, out, at) {
    out.fill(0, at, at + this.names.length);
    let hidden = 0;
    let idfSum = 0;
    let idfMentioned = 0;
    let idfRecent5 = 0;
    let idfRecent15 = 0;
    let mentionSum = 0;
    let mostIdf = 0;
    let mostRecent5 = 0;
    let mostRecent15 = 0;
    let mostMentions = 0;
    let mostReuse = 0;
    let reuseSum = 0;
    let single = 0;
    let onError = 0;
    let late = 0;
    let idfSeen5 = 0;
    let idfSeen15 = 0;
    for (const value of line.values) {
      if (!view.isHidden(value)) continue;
      hidden++;
      if (value.counted >= 0) out[at + value.counted] = (out[at + value.counted] as number) + 1;
      const idf = 1 / value.entries;
      const recent5 = view.recency(value, 5);
      const recent15 = view.recency(value, 15);
      const mentions = Math.log1p(value.mentions);
      const reuse = Math.log1p(value.reuses);
      idfSum += idf;
      if (value.mentions > 0) idfMentioned += idf;
      idfRecent5 += idf * recent5;
      idfRecent15 += idf * recent15;
      const absence = view.turn - value.last;
      idfSeen5 += idf * Math.exp(-absence / 5);
      idfSeen15 += idf * Math.exp(-absence / 15);
      mentionSum += mentions;
      reuseSum += reuse;
      if (idf > mostIdf) mostIdf = idf;
      if (recent5 > mostRecent5) mostRecent5 = recent5;
      if (recent15 > mostRecent15) mostRecent15 = recent15;
      if (mentions > mostMentions) mostMentions = mentions;
      if (reuse > mostReuse) mostReuse = reuse;
      if (value.entries === 1) single++;
      if (value.onError) onError++;
      if (value.lastMention > line.last) late++;
    }
    for (let kind = 0; kind < KINDS; kind++) out[at + kind] = Math.log1p(out[at + kind] as number);
    const rest = at + KINDS;
    out[rest] = Math.log1p(hidden);
    out[rest + 1] = hidden / Math.max(1, line.values.length);
    out[rest + 2] = Math.log1p(idfSum);
    out[rest + 3] = Math.log1p(idfMentioned);
    out[rest + 4] = Math.log1p(idfRecent5);
    out[rest + 5] = Math.log1p(idfRecent15);
    out[rest + 6] = Math.log1p(mentionSum);
    out[rest + 7] = mostIdf;
    out[rest + 8] = mostRecent5;
    out[rest + 9] = mostRecent15;
    out[rest + 10] = mostMentions;
    out[rest + 11] = mostReuse;
    out[rest + 12] = Math.log1p(reuseSum);
    out[rest + 13] = Math.log1p(single);
    out[rest + 14] = Math.log1p(onError);
    out[rest + 15] = Math.log1p(late);
    out[rest + 16] = late > 0 ? 1 : 0;
    out[rest + 17] = Math.log1p(idfSeen5);
    out[rest + 18] = Math.log1p(idfSeen15);
  },
};
