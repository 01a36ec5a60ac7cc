/** The words of the status of an action: what a planner is told of it, and what a user may be told. */
import type { Words } from "../../said/Words.ts"

/** The statements about each status. */
export const statuses: Words["statuses"] = {
  not_attempted: {
    planner: "Not attempted.",
    user: "This has not been carried out."
  },
  attempted: {
    planner: "Attempted; the result is unknown. Do not repeat it.",
    user: "This was attempted. Its result is not known."
  },
  observed: {
    planner: "Answered, not verified. It is not done.",
    user: "An answer came in. Whether it took effect is still being verified."
  },
  verified: {
    planner: "State was read, and is being compared with what was intended. It is not done.",
    user: "The current state was verified. It is still being compared with what was intended."
  },
  unverified: {
    planner: "Answered, not verified. Treat it as evidence.",
    user: "An answer came in. It was not verified."
  },
  success: {
    planner: "Verified: done. Authoritative state follows.",
    user: "This was completed, and that was verified."
  },
  partial: {
    planner: "Verified in part: some of it was completed, and the rest is unresolved.",
    user: "Part of this was completed, and part is unresolved."
  },
  pending: {
    planner: "Accepted, not verified. Wait: it is not done.",
    user: "This was accepted and is pending. It is not completed."
  },
  failure: {
    planner: "Failed: no change was verified.",
    user: "This failed. Nothing was verified to be completed."
  },
  compensated: {
    planner: "Reversed by a compensation, which was verified.",
    user: "This was done and then reversed, and the reversal was verified."
  },
  rolled_back: {
    planner: "Rolled back: nothing of it remains.",
    user: "This was rolled back before it took effect."
  },
  unknown: {
    planner: "Unknown: it may have happened. Do not repeat it; it is settled first.",
    user: "The outcome of this is unknown. It needs a review."
  },
  review_required: {
    planner: "A person has to decide. Do not go on with this.",
    user: "This waits for the decision of a person."
  },
  absent: {
    planner: "Not on record when it was to be undone: nothing was reversed, and nothing of it is there.",
    user: "There was nothing to undo: the system of record does not show this."
  },
  attested: {
    planner: "Done, as a person attests. That was not verified: do not repeat it.",
    user: "A person attests that this was done. That was not verified."
  },
  let_stand: {
    planner: "Verified once, and to be undone since. A person decided that it is not undone: it may not be as it was.",
    user: "This was completed and verified, and was to be undone. A person decided that it is not, and it was not verified again."
  },
  verified_in_part: {
    planner: "Verified in part: not everything that this class asks for was checked. Do not call it done.",
    user: "This was verified in part. Not everything that has to be checked was checked."
  },
  undoing: {
    planner: "Being undone: its reversal is not verified. Do not build on it.",
    user: "This is being undone. Its reversal was not verified yet."
  },
  compensated_in_part: {
    planner: "Reversed by a compensation, which was verified in part.",
    user: "This was done and then reversed. The reversal was verified in part: not everything was checked."
  },
  compensation_attested: {
    planner: "Reversed, as a person attests. That was not verified: do not repeat it, and do not reverse it again.",
    user: "This was done and then reversed, as a person attests. The reversal was not verified."
  },
  reversed_in_part: {
    planner: "One part was reversed, and another stands. Look at each before going on.",
    user: "Part of this was done and then reversed, and part of it stands."
  },
  recorded: {
    planner: "On record as done and verified by another run. Nothing was sent or read here.",
    user: "This is on record as completed by another run. It was not verified again."
  },
  abandoned: {
    planner: "Given up by a person. Its effect may stand: do not repeat it.",
    user: "This was given up by a person. What it did, if anything, may still stand."
  }
}
