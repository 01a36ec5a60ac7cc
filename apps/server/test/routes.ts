/** Every route of the API, read from its definition, so that a new one is tested without being named here. */
import * as Access from "@backstitch/api/Access"
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import type { KeyRole } from "@backstitch/trace/KeyRole"
import * as Arbitrary from "effect/Arbitrary"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Schema from "effect/Schema"

/** A route with the facts that a request needs. */
export interface Route {
  readonly id: string
  readonly method: string
  readonly path: string
  /** The names of the parts of its path, such as `run`. */
  readonly params: ReadonlyArray<string>
  readonly role: KeyRole | undefined
  readonly query: Schema.Top | undefined
  readonly payload: Schema.Top | undefined
  /** It asks for no key: its senders are known by what they sign. */
  readonly isSigned: boolean
  /** Its body is a stream of JSON lines. */
  readonly isImport: boolean
}

/** All routes. */
export const all: ReadonlyArray<Route> = (() => {
  const found: Array<Route> = []
  HttpApi.reflect(BackstitchApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: route, group, mergedAnnotations }) => {
      const payloads = [...route.payload.values()]
      found.push({
        id: `${group.identifier}.${route.identifier}`,
        method: route.method,
        path: route.path,
        params: [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!),
        role: Context.getOrUndefined(mergedAnnotations, Access.Required),
        isSigned: Context.getOrUndefined(mergedAnnotations, Access.Signed) !== undefined,
        query: route.query,
        payload: payloads.find(({ encoding }) => encoding._tag !== "Stream")?.schemas[0],
        isImport: payloads.some(({ encoding }) => encoding._tag === "Stream")
      })
    }
  })
  return found
})()

/** The path of a route, with the parts that `values` names. */
export const pathOf = ({ path }: Route, values: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? "none"))

/** Bodies that a route accepts by their form. */
export const bodies = ({ payload }: Route, count: number, seed: number): Effect.Effect<ReadonlyArray<unknown>> =>
  payload === undefined
    ? Effect.succeed([])
    : Arbitrary.sampleEffect(Arbitrary.schema(Schema.toType(payload)), { count, seed, size: 12 }).pipe(
        Effect.map((values) =>
          values.map((value) => Schema.encodeUnknownSync(payload as Schema.Codec<unknown>)(value))
        ),
        Effect.orDie
      )

/** A body in which every run that a part of it names is the given one. */
export const naming = (body: unknown, run: string): unknown => {
  if (typeof body !== "object" || body === null) return body
  const named = Object.entries(body).map(([name, value]) => {
    if (name === "samples") return [name, [run]]
    return [name, typeof value === "object" ? inside(value, run) : value]
  })
  return Object.fromEntries(named)
}

const inside = (part: unknown, run: string): unknown => {
  if (Array.isArray(part)) return part.map((each) => inside(each, run))
  return typeof part === "object" && part !== null && "run" in part ? { ...part, run } : part
}
