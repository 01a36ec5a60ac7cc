/** The flags of commands that judge the recovery of a subtask. */
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

/** The subtask, and the kinds of checkpoints that may be restored. */
export const flags = {
  instance: Flags.text("instance", "NAME", "The subtask, as `instances` names it: that of the last failure otherwise"),
  policy: Flag.Literals("policy", ["entry", "commit", "exit"]).pipe(
    Flag.withDescription("The kinds of checkpoints that may be restored: up to this one"),
    Flag.withDefault("commit")
  )
}
