import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Issue, RevisionPolicy, Yaml } from "../src/index.ts"
import { claims, travel } from "./packs.ts"

const read = (text: string) => Yaml.fromYaml(text, { file: "trips.yaml" })
const permitting = (revisions: string) => read(`${travel}revisions: ${revisions}\n`)
const linesOf = (issues: ReadonlyArray<Issue.Issue>) => issues.map(Issue.format)

describe("RevisionPolicy", () => {
  it("is absent from a pack that permits no revisions", () => {
    assert.isUndefined(Result.getOrThrow(read(travel)).revisions)
    assert.isUndefined(Result.getOrThrow(read(claims)).revisions)
  })

  it("completes what a pack leaves out by the standard rules", () => {
    const policyOf = (revisions: string) => Result.getOrThrow(permitting(revisions)).revisions
    assert.deepStrictEqual(policyOf("{}"), RevisionPolicy.standard)
    assert.deepStrictEqual(policyOf("{ rule: earliest_conflict }"), {
      ...RevisionPolicy.standard,
      rule: "earliest_conflict"
    })
    assert.deepStrictEqual(policyOf("{ reversible: leave }"), {
      ...RevisionPolicy.standard,
      reversible: "leave"
    })
    assert.deepStrictEqual(policyOf("{ priority: [no_night] }")?.priority, ["no_night"])
  })

  it("refuses a section without a value, which would leave open whether revisions are permitted", () => {
    const pack = permitting("")
    assert.deepStrictEqual(Result.isFailure(pack) && linesOf(pack.failure.issues), [
      "trips.yaml:69:1 revisions: found a section without a value, expected {} for the default rules, or no section. " +
        "The section decides whether runs can be revised"
    ])
  })

  it.each([
    ["{ rule: earliest }", "revisions.rule"],
    ["{ reversible: keep }", "revisions.reversible"],
    ["{ priority: [cheap] }", "revisions.priority[0]"],
    ["{ priority: [no_night, fare_limit, no_night] }", "revisions.priority"],
    ["{ rules: earliest_conflict }", "revisions.rules"],
    ["[earliest_conflict]", "revisions"]
  ])("refuses %s", (revisions, path) => {
    const pack = permitting(revisions)
    assert.deepStrictEqual(Result.isFailure(pack) && pack.failure.issues.map((issue) => issue.path), [path])
  })

  it("warns of tools that leave open what their calls assume, only where revisions are permitted", () => {
    assert.deepStrictEqual(Result.getOrThrow(read(travel)).warnings, [])
    assert.deepStrictEqual(
      Result.getOrThrow(permitting("{}")).warnings.map(({ found, path }) => `${path}: ${found}`),
      ["tools.void_ticket: void_ticket without assumes, in a pack that permits revisions"]
    )
  })
})
