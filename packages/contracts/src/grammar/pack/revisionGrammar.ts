/**
 * The rules for revisions as a pack declares them: which acts one takes back (`rule`, `reversible`), and the order of
 * the clauses (`priority`).
 */
import * as RevisionPolicy from "../../rules/RevisionPolicy.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import type { DeclaredNames } from "../scope.ts"

/** The section of a pack that permits revisions of the goal. */
export const revisions = Grammar.object("revisions", "Permits revisions of the goal, and says how they are taken in.", {
  rule: Grammar.key(
    "The acts that a revision discards: the conflicting ones and those that read their writes (default), or every " +
      "act from the first conflict on that has no exact inverse.",
    Grammar.oneOf(RevisionPolicy.rules)
  ),
  reversible: Grammar.key(
    "Conflicting acts with an exact inverse before the first discarded one: inverted (default), or left.",
    Grammar.oneOf(RevisionPolicy.treatments)
  ),
  priority: Grammar.key("Clauses in the order of their importance; the others follow.", Grammar.texts)
})

/** Reads the rules for revisions; `undefined` if the pack permits none. A section without a value is refused. */
export const readRevisions = (node: Node, { clauses }: DeclaredNames): RevisionPolicy.RevisionPolicy | undefined => {
  if (node.value === undefined) return undefined
  if (node.value === null) {
    return node.fail({
      found: "a section without a value",
      expected: "{} for the default rules, or no section",
      hint: "The section decides whether runs can be revised",
      key: true
    })
  }
  if (!node.hasKeysOf(revisions.keys)) return undefined
  const priority = node.at("priority").references(Object.keys(clauses), "clause")
  for (const [index, name] of priority.entries()) {
    if (priority.indexOf(name) === index) continue
    node.at("priority").fail({ found: `${name} again`, expected: "each clause once" })
  }
  return { ...RevisionPolicy.standard, ...Grammar.pick(revisions, node, {}, "rule", "reversible"), priority }
}
