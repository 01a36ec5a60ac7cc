/** The rules for revisions as a pack declares them. */
import * as RevisionPolicy from "../../rules/RevisionPolicy.ts"
import * as Grammar from "../Grammar.ts"
import type { Node } from "../reader.ts"

/** The section of a pack that permits revisions of the goal. */
export const revisions = Grammar.complete(
  Grammar.object("revisions", "Permits revisions of the goal, and says how they are taken in.", {
    rule: Grammar.oneOf(RevisionPolicy.rules),
    reversible: Grammar.oneOf(RevisionPolicy.treatments)
  }),
  (read): RevisionPolicy.RevisionPolicy => ({ ...RevisionPolicy.standard, ...read })
)

/** Reads the rules for revisions; `undefined` if the pack permits none. A section without a value is refused. */
export const readRevisions = (node: Node): RevisionPolicy.RevisionPolicy | undefined => {
  if (node.value !== null) return node.isAbsent ? undefined : revisions.read(node, {})
  return node.fail({
    found: "a section without a value",
    expected: "{} for the default rules, or no section",
    hint: "The section decides whether runs can be revised",
    key: true
  })
}
