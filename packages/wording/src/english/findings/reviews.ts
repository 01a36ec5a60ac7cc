/** The words of reviews, and of failures. */
import type { Next } from "../../said/Next.ts"
import { fact } from "../../said/Said.ts"
import type { Findings } from "../../said/Words.ts"
import { found } from "../terms/recoveries.ts"

const resolve: Next = { verb: "resolve" }

/** The words of the reasons for a review. */
export const reviews = {
  "approval.critical": ({ tool }) =>
    fact(`${tool} is critical: it is reviewed before it is committed`, { verb: "decide" }),
  "approval.forked": ({ tool }) => fact(`${tool} needs an approval since the run was forked`, { verb: "decide" }),
  "approval.needed": ({ tool }) => fact(`${tool} needs an approval`, { verb: "decide" }),
  "glass.broken": ({ by, reason, tool }) =>
    fact(`${by} broke the glass for ${tool}: ${reason}. What happened is reviewed before it is reported as done`, {
      verb: "decide"
    }),
  "glass.verified": ({ tool }) =>
    fact(`the glass was broken for ${tool}, and what it did is verified and not reviewed`, { verb: "decide" }),
  "verification.contradicted": () =>
    fact("it was settled as a success, and the system of record shows now that it does not hold", resolve),
  "verification.disputed": ({ person, said, settled }) =>
    fact(
      `its provider now says that it ${said === "done" ? "was done" : "failed"}; ` +
        `${person ? "a person settled it" : "it was settled"} as ${settled}, and that stands until a person has looked`,
      resolve
    ),
  "verification.noticed": ({ class: name }) => fact(`it is a ${name}, and a person looks at what happened`, resolve)
} satisfies Partial<Findings>

/** The words of failures. */
export const failures = {
  "failure.astray": ({ recovery, tool }, _tell, words) =>
    fact(`${tool} answered with data from outside of its scope, and the answer is withheld: ${found(recovery, words)}`),
  "failure.found": ({ recovery }, _tell, words) => fact(found(recovery, words)),
  "failure.rolled_back": ({ tool }) => fact(`${tool} was rolled back: nothing of it remains`),
  "failure.unavailable": ({ tool, why }, tell) => fact(`${tool} is unavailable: ${tell(why)}`),
  "failure.undone": ({ because }, tell) => fact(`undone: ${tell(because)}`)
} satisfies Partial<Findings>
