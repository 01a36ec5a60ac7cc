/**
 * The rules by which a run that a pack governs takes in a revision of its user's goal.
 *
 * A pack with the section `revisions` permits revisions. A revision that conflicts with acts undoes them: from the
 * first conflict on, or only the conflicting ones and those that build on them.
 *
 * @source Revisable by Design, sections 5 and 6
 */

/**
 * Rules for the acts that a revision discards. `earliest_conflict`: every act from the first one on that conflicts and
 * has no exact inverse. `dependency_closure`: the conflicting acts, and the acts that read their writes.
 */
export const rules = ["earliest_conflict", "dependency_closure"] as const

/** The treatment of conflicting acts with an exact inverse before the first discarded act: inverted, or left. */
export const treatments = ["invert", "leave"] as const

/** The rules of one pack. `priority` is the order of clauses in which runs begin; the others come after those. */
export interface RevisionPolicy {
  readonly rule: (typeof rules)[number]
  readonly reversible: (typeof treatments)[number]
  readonly priority: ReadonlyArray<string>
}

/** The rules of a pack that permits revisions and does not say more. */
export const standard: RevisionPolicy = { rule: "dependency_closure", reversible: "invert", priority: [] }
