/**
 * Documents an operation as generators of clients read it.
 *
 * A path, a query and a header carry text, and the document of a number among them would be that of text. A stream of
 * events is documented by the data of an event, which its reader gets parsed.
 */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** The parts of a route that are its parameters. */
type Parameters = Pick<HttpApiEndpoint.Top, "headers" | "params" | "query">

/** An operation of the document, as far as it is changed. */
interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly schema: object }>
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
}

interface Content {
  readonly schema?: { readonly properties?: { readonly data?: { readonly contentSchema?: object } } }
}

/** Rewrites the operation of a route. */
export const documentOperation =
  ({ headers, params, query }: Parameters) =>
  <O extends object>(operation: O): O => {
    const numbers = new Map([headers, params, query].flatMap(numbersOf))
    const { parameters = [], responses = {} }: Operation = operation
    return {
      ...operation,
      parameters: parameters.map((each) => ({ ...each, schema: numbers.get(each.name) ?? each.schema })),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, { content, ...response }]) => [
          status,
          content === undefined ? response : { ...response, content: ofData(content) }
        ])
      )
    }
  }

/** The parameters that are read as numbers, by name, with the schemas of these. */
const numbersOf = (schema: Schema.Top | undefined): ReadonlyArray<readonly [name: string, schema: object]> => {
  const ast = schema && SchemaAST.toType(schema.ast)
  return ast?._tag === "Objects"
    ? ast.propertySignatures
        .filter(({ type }) => type._tag === "Number")
        .map(({ name, type }) => [String(name), Schema.toJsonSchemaDocument(Schema.make(type)).schema])
    : []
}

const ofData = (content: Readonly<Record<string, Content>>): Readonly<Record<string, Content>> =>
  Object.fromEntries(
    Object.entries(content).map(([type, each]) => {
      const data = type === "text/event-stream" ? each.schema?.properties?.data?.contentSchema : undefined
      return [type, data === undefined ? each : { schema: data }]
    })
  )
