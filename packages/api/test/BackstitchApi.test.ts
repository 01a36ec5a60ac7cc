import * as Role from "@backstitch/runtime/Role"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { assert, describe, it } from "vitest"
import { BackstitchApi } from "../src/BackstitchApi.ts"
import * as Access from "../src/form/Access.ts"

interface Operation {
  readonly security: ReadonlyArray<object>
  readonly summary: string
  readonly "x-backstitch-role": string
}

// The groups are BranchesApi, ExchangeApi, FeedApi, GoalApi, HostingApi, KeysApi, PredicatesApi, RecoveryApi,
// ReviewsApi, RunsApi and VersionsApi.
describe("BackstitchApi", () => {
  it("is documented by a valid OpenAPI 3.1 document", async () => {
    const document: Record<string, unknown> = JSON.parse(JSON.stringify(OpenApi.fromApi(BackstitchApi)))
    const validator = new Validator()
    const found = await validator.validate(document)
    assert.deepStrictEqual(found.errors ?? [], [])
    assert.strictEqual(validator.version, "3.1")
  })

  it("asks for a key and a role at every endpoint, and documents both", () => {
    let count = 0
    HttpApi.reflect(BackstitchApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
        const id = `${endpoint.method} ${endpoint.path}`
        assert.include(
          [...middleware].map(({ key }) => key),
          Access.Authorization.key,
          id
        )
        const role = Context.getOrUndefined(mergedAnnotations, Access.Required)
        assert.include(Role.all, role ?? "none", id)
        assert.isTrue(endpoint.path.startsWith("/v1/"), id)
        count++
      }
    })
    const { paths } = OpenApi.fromApi(BackstitchApi)
    const operations = Object.values(paths).flatMap((path) =>
      Object.values(path)
    ) as unknown as ReadonlyArray<Operation>
    assert.lengthOf(operations, count)
    for (const operation of operations) {
      assert.deepStrictEqual(operation.security, [{ key: [] }])
      assert.include(Role.all, operation["x-backstitch-role"])
      assert.isNotEmpty(operation.summary)
    }
  })
  it("documents numbers as numbers, and a stream by the data of its events", () => {
    const { paths } = OpenApi.fromApi(BackstitchApi)
    const follow = paths["/v1/runs/{run}/events"]?.get
    const parameters = Object.fromEntries((follow?.parameters ?? []).map(({ name, schema }) => [name, schema]))
    const whole = { type: "integer", minimum: 1 }
    assert.deepStrictEqual(parameters, { run: { type: "string" }, from: whole, "last-event-id": whole })
    const told = follow?.responses[200]?.content?.["text/event-stream"]?.schema as { anyOf?: ReadonlyArray<unknown> }
    assert.deepInclude(told.anyOf ?? [], { $ref: "#/components/schemas/Told" })
  })
})
