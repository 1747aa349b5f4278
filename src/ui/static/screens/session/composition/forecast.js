import { colour, faded } from "../../../draw/colours.js";
import { turns } from "../../../draw/format.js";
import { words, zoneShape } from "../marks.js";
import { BOTTOM, TOP } from "./ground.js";

/** Where growth leads: its mean dashed, the tenth to the ninetieth percentile as a fan, and where red is crossed. */
export function drawForecast(context, { axis, y, height, forecast, max, isWide }) {
  const { from, velocity, fast, slow, red } = forecast;
  const start = axis.x(axis.to + 1);
  const ahead = Math.max(0, (axis.end - start) / axis.step);
  const x = (after) => start + Math.min(after, ahead) * axis.step;
  const grown = (rate, after) => y(Math.min(from + rate * after, max * 20));
  context.save();
  context.beginPath();
  context.rect(start, TOP, axis.end - start, height - TOP - BOTTOM);
  context.clip();
  context.beginPath();
  context.moveTo(start, y(from));
  for (let i = 0; i <= 12; i++) context.lineTo(start + (ahead * i * axis.step) / 12, grown(fast, (ahead * i) / 12));
  context.lineTo(x(ahead), grown(slow, ahead));
  context.fillStyle = faded("--text", 0.13);
  context.fill();
  const mean = (red - from) / velocity;
  const reach = Math.min(mean, ahead);
  context.beginPath();
  context.setLineDash([4, 3]);
  context.moveTo(start, y(from));
  context.lineTo(x(reach), y(from + velocity * reach));
  context.strokeStyle = colour("--text");
  context.lineWidth = 1.5;
  context.stroke();
  context.restore();
  const soonest = (red - from) / fast;
  if (soonest < ahead) {
    const latest = slow <= 0 ? ahead : Math.min((red - from) / slow, ahead);
    context.fillStyle = colour("--red");
    context.fillRect(x(soonest), y(red) - 1.5, Math.max(2, x(latest) - x(soonest)), 3);
  }
  if (mean <= ahead) zoneShape(context, "red", x(mean), y(red), 5.6);
  if (isWide) tell(context, forecast, { at: start + 10, y, mark: mean <= ahead ? x(mean) : null });
}

function tell(context, { from, red, until, soonest }, { at, y, mark }) {
  const line = y(Math.min(from, red) * 0.5);
  if (mark !== null && mark > at + 4) {
    context.fillStyle = colour("--faint");
    context.fillRect(mark - 0.5, y(red) + 9, 1, Math.max(0, line - y(red) - 20));
  }
  words(context, `red in ${turns(until)} turns`, at, line, { ink: "--text", weight: 600, size: 11.5 });
  if (soonest !== null) words(context, `p90 ${turns(soonest)}`, at, line + 15, { ink: "--muted" });
}
