import { el, icon } from "../../draw/dom.js";
import { count } from "../../draw/format.js";

/** The answer first, as a sentence: the zone it turns on, its words, and the rest. */
export function headlineWords({ total, red, soon, orange }) {
  const within = (n, lead) => `${lead}${n} will be within 2 turns.`;
  if (red > 0) {
    const rest = soon > 0 ? within(soon, "").replace("will", "more will") : "";
    return {
      zone: "red",
      subject: count(red, "session"),
      rest: ` ${red === 1 ? "is" : "are"} red.${rest === "" ? "" : ` ${rest}`}`,
    };
  }
  if (soon > 0)
    return { zone: "orange", subject: count(soon, "session"), rest: " will be red within 2 turns. None is red now." };
  if (orange > 0)
    return {
      zone: "orange",
      subject: count(orange, "session"),
      rest: ` ${orange === 1 ? "is" : "are"} orange. None is red.`,
    };
  return {
    zone: "green",
    subject: total === 1 ? "The one session" : `All ${count(total, "session")}`,
    rest: ` ${total === 1 ? "has" : "have"} room.`,
  };
}

/**
 * `isWhole`: whether the situation is that of all open sessions; `overflows` those of the last hour, `since` what that
 * comes to where the daemon is younger.
 */
export function drawHeadline(heading, subline, situation, { overflows, since, isWhole }) {
  const { zone, subject, rest } = headlineWords(situation);
  const signature = `${zone} ${subject}${rest}`;
  if (heading.dataset.signature !== signature) {
    heading.dataset.signature = signature;
    heading.replaceChildren(el(`span.zone-words.in-${zone}`, {}, icon(`zone-${zone}`, "shape"), subject), rest);
  }
  const words = openWords(situation, isWhole) + overflowWords(overflows, since);
  if (subline.textContent !== words) subline.textContent = words;
}

function openWords({ total, agents }, isWhole) {
  return isWhole
    ? `${count(total, "session")} open on ${count(agents, "agent")}.`
    : `The ${count(total, "session")} that will be red first; more are open.`;
}

/** Overflows are worth a sentence while they are news. */
export function overflowWords(overflows, since) {
  return overflows > 0 ? ` ${count(overflows, "overflow")} ${since ?? "in the last hour"}.` : "";
}
