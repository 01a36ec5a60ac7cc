import * as KeyRole from "@backstitch/trace/KeyRole"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { assert, describe, it } from "vitest"
import { BackstitchApi } from "../src/BackstitchApi.ts"
import * as Access from "../src/form/Access.ts"
import * as Limits from "../src/Limits.ts"

interface Operation {
  readonly security: ReadonlyArray<object>
  readonly summary: string
  readonly "x-backstitch-role": string
}

// The groups are BranchesApi, DeliveriesApi, ExchangeApi, FeedApi, GoalApi, HostingApi, KeysApi, PacksApi,
// PredicatesApi, RecoveryApi, ReviewsApi, RunsApi, VersionsApi and WebhooksApi.
describe("BackstitchApi", () => {
  it("is documented by a valid OpenAPI 3.1 document", async () => {
    const document: Record<string, unknown> = JSON.parse(JSON.stringify(OpenApi.fromApi(BackstitchApi)))
    const validator = new Validator()
    const found = await validator.validate(document)
    assert.deepStrictEqual(found.errors ?? [], [])
    assert.strictEqual(validator.version, "3.1")
  })

  it("asks for a key and a role at every endpoint but that for signed deliveries, and documents both", () => {
    let count = 0
    const signed: Array<string> = []
    HttpApi.reflect(BackstitchApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
        const id = `${endpoint.method} ${endpoint.path}`
        count++
        assert.isTrue(endpoint.path.startsWith("/v1/"), id)
        if (Context.getOrUndefined(mergedAnnotations, Access.Signed) !== undefined) {
          assert.deepStrictEqual([...middleware], [], id)
          signed.push(id)
          return
        }
        assert.include(
          [...middleware].map(({ key }) => key),
          Access.Authorization.key,
          id
        )
        const role = Context.getOrUndefined(mergedAnnotations, Access.Required)
        assert.include(KeyRole.all, role ?? "none", id)
      }
    })
    assert.deepStrictEqual(signed, ["POST /v1/deliveries/:tenant/:tool"])
    const { paths } = OpenApi.fromApi(BackstitchApi)
    const documented = Object.values(paths).flatMap((path): ReadonlyArray<object> => Object.values(path))
    const operations = documented as ReadonlyArray<Operation>
    assert.lengthOf(operations, count)
    assert.lengthOf(
      operations.filter(({ security }) => security.length === 0),
      signed.length
    )
    for (const operation of operations) {
      if (operation.security.length === 0) continue
      assert.deepStrictEqual(operation.security, [{ key: [] }])
      assert.include(KeyRole.all, operation["x-backstitch-role"])
      assert.isNotEmpty(operation.summary)
    }
  })
  it("documents numbers as numbers, and a stream by the data of its events", () => {
    const { paths } = OpenApi.fromApi(BackstitchApi)
    const parametersOf = (path: keyof typeof paths) =>
      Object.fromEntries((paths[path]?.get?.parameters ?? []).map(({ name, schema }) => [name, schema]))
    const tick = { type: "integer", minimum: 1, maximum: Limits.refusing.tickMax }
    const follow = paths["/v1/runs/{run}/events"]?.get
    assert.deepStrictEqual(parametersOf("/v1/runs/{run}/events"), {
      run: { type: "string" },
      from: tick,
      "last-event-id": tick
    })
    const limit = { type: "integer", minimum: 1, maximum: Limits.refusing.pageItemsMax }
    assert.deepStrictEqual(parametersOf("/v1/runs")["limit"], limit)
    const told = follow?.responses[200]?.content?.["text/event-stream"]?.schema as { anyOf?: ReadonlyArray<unknown> }
    assert.deepInclude(told.anyOf ?? [], { $ref: "#/components/schemas/Told" })
  })
})
