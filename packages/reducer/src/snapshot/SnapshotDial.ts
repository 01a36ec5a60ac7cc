/**
 * The dial of snapshots. A snapshot costs time at a step, and saves time after a crash.
 *
 * The trace holds all changes since the last whole snapshot, so between two snapshots only flushes cost time. A commit
 * is flushed at once, or is staged and flushed later. The dial decides when staged commits are flushed, and when a
 * whole snapshot saves the next process from folding the trace again. `Auto` decides for each step, by the harm that
 * its tool can do and the work that a crash would lose.
 *
 * @source Crash Recovery, "The performance-vs-recoverability dial"
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import * as SnapshotPolicy from "./SnapshotPolicy.ts"

/**
 * A position of the dial.
 *
 * - `Micro`: a whole snapshot after every commit.
 * - `Tool`: a whole snapshot before every tool call.
 * - `Every`: a whole snapshot every n ticks.
 * - `Never`: none; the trace alone is folded again.
 * - `Auto`: decided for each step by a policy, whose cost is counted in tokens.
 */
export type SnapshotDial =
  | { readonly _tag: "Micro" }
  | { readonly _tag: "Tool" }
  | { readonly _tag: "Every"; readonly ticks: number }
  | { readonly _tag: "Never" }
  | { readonly _tag: "Auto"; readonly policy: SnapshotPolicy.SnapshotPolicy; readonly foldMax: number }

/**
 * A moment at which a snapshot can be written: after a commit, or before a tool is called.
 *
 * **Details**
 *
 * `folded` is the number of ticks since the last whole snapshot, `own` the number of these committed by this process.
 * `tokens` is the cost of the steps that are not durable yet, `likelihood` the probability of a crash, `since` the
 * number of snapshots since the last whole one.
 */
export type Moment =
  | { readonly _tag: "Committed"; readonly folded: number; readonly own: number }
  | {
      readonly _tag: "BeforeCall"
      readonly contract: ToolContract.ToolContract | undefined
      readonly tokens: number
      readonly likelihood: number
      readonly since: number
    }

const { autoFoldedTicksMax, autoSnapshotsPerWhole, autoTokensMax, ownTicksMin } = Limits.pacing

/**
 * Flushes staged commits before each call that changes something, and before a read if a crash would lose too many
 * tokens. One in `autoSnapshotsPerWhole` of these moments writes a whole snapshot as well.
 *
 * **Details**
 *
 * A whole snapshot is also written after `foldMax` ticks, or after twice as many by a process that has committed few of
 * them. So no later process has many more to fold. With `foldMax` doubled, the fold took as long as all the rest of a
 * resume.
 */
export const auto: SnapshotDial = {
  _tag: "Auto",
  policy: { strategy: { _tag: "Hybrid", every: autoSnapshotsPerWhole }, costMax: autoTokensMax },
  foldMax: autoFoldedTicksMax
}

/** A whole snapshot every n ticks. */
export const every = (ticks: number): SnapshotDial => ({ _tag: "Every", ticks })

/** Error for a text that is no position of the dial. */
export class DialUnknown extends Schema.TaggedError<DialUnknown>("@backstitch/reducer/DialUnknown")("DialUnknown", {
  text: Schema.String
}) {
  override get message(): string {
    return `"${this.text}" is no position of the dial. Write micro, tool, every:N, never or auto`
  }
}

/** Reads a position in its written form: `micro`, `tool`, `every:50`, `never` or `auto`. */
export const parse = (text: string): Result.Result<SnapshotDial, DialUnknown> => {
  const [, ticks] = /^every:([1-9]\d{0,6})$/.exec(text) ?? []
  if (ticks !== undefined) return Result.succeed(every(Number(ticks)))
  switch (text) {
    case "micro":
      return Result.succeed({ _tag: "Micro" })
    case "tool":
      return Result.succeed({ _tag: "Tool" })
    case "never":
      return Result.succeed({ _tag: "Never" })
    case "auto":
      return Result.succeed(auto)
    default:
      return Result.fail(new DialUnknown({ text }))
  }
}

/** Decides what is written at a moment: nothing, the staged commits, or a whole snapshot. */
export const decide = (self: SnapshotDial, moment: Moment): SnapshotPolicy.SnapshotChoice => {
  switch (self._tag) {
    case "Micro":
      return moment._tag === "Committed" ? "full" : "nothing"
    case "Tool":
      return moment._tag === "BeforeCall" ? "full" : "nothing"
    case "Every":
      return folding(self.ticks, moment)
    case "Never":
      return "nothing"
    case "Auto":
      return moment._tag === "Committed"
        ? folding(moment.own < ownTicksMin ? 2 * self.foldMax : self.foldMax, moment)
        : SnapshotPolicy.decide(self.policy, { ...moment, cost: moment.tokens })
  }
}

const folding = (most: number, moment: Moment): SnapshotPolicy.SnapshotChoice =>
  moment._tag === "Committed" && moment.folded >= most ? "full" : "nothing"
