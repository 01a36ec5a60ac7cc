/**
 * Searches committed bodies for sentences: texts with several words at a place where the schema permits no free text.
 *
 * A trace holds codes, names, values, and texts by people, providers, models and contracts. The schemas mark the
 * places of such texts: as `Payload.Written`, or as a value of any form. Any other text contains no space, except for
 * the pins of a fold.
 *
 * @source docs/decisions/0027
 */
import * as Finding from "@backstitch/kernel/Finding"
import { payloads } from "@backstitch/kernel/Payload"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Transition from "@backstitch/trace/Transition"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** A sentence, by the type of its body and the path of its field. */
export interface Sentence {
  readonly type: string
  readonly path: string
  readonly text: string
}

/** Lists the sentences of a body, without the texts of people, providers, models and contracts. */
export const of = (body: Transition.Body): ReadonlyArray<Sentence> => {
  const { data, ...rest } = body
  const { author, type } = rest
  const found: Array<Sentence> = []
  const look = new Look((path, text) => found.push({ path, text, type }))
  look.at(rest, Transition.Body.ast, "")
  // Declarations of an embedder are not checked.
  if (data !== undefined && Ontology.isType(type)) {
    look.fields(data, payloads[type].ast, "data", author === "kernel" ? undefined : theirs)
  }
  return found
}

/** The sentences of a trace, each on a line with its tick. */
export const inTrace = (transitions: Iterable<Transition.Transition>): ReadonlyArray<string> =>
  [...transitions].flatMap(({ body, tick }) =>
    of(body).map(({ path, text, type }) => `tick ${tick} ${type} ${path}: ${text}`)
  )

type Ast = SchemaAST.AST | undefined

/** A replacement for the schema of a text by others. */
const theirs = "theirs"

class Look {
  readonly #found: (path: string, text: string) => void

  constructor(found: (path: string, text: string) => void) {
    this.#found = found
  }

  /** Checks a value against its schema. Without a schema, every text in it counts as one of Backstitch. */
  at(value: unknown, ast: Ast, path: string): void {
    if (isTheirs(ast)) return
    if (typeof value === "string") {
      if (isSentence(value) && !membersOf(ast).some(isTheirs)) this.#found(path, value)
    } else if (Array.isArray(value)) {
      const arrays = membersOf(ast).find((each) => each._tag === "Arrays")
      for (const [index, item] of value.entries()) this.at(item, arrays?.rest[0], `${path}.${index}`)
    } else if (Canonical.isObject(value)) {
      const member = membersOf(ast).find((each) => has(each, value))
      if (!isTheirs(member)) this.fields(value, member, path)
    }
  }

  /** `rest` is the schema of fields without a name. */
  fields(value: object, ast: Ast, path: string, rest?: typeof theirs): void {
    const { args, code } = value as { readonly args?: unknown; readonly code?: unknown }
    const named = ast?._tag === "Objects" ? ast : undefined
    for (const [name, field] of Object.entries(value)) {
      const at = path === "" ? name : `${path}.${name}`
      if (name === "args" && field === args && typeof code === "string") this.at(field, argsOf(code), at)
      else {
        const property = named?.propertySignatures.find((each) => each.name === name)
        if (property !== undefined) this.at(field, property.type, at)
        else if (rest !== theirs) this.at(field, path === "data" ? undefined : named?.indexSignatures[0]?.type, at)
      }
    }
  }
}

/** Tells whether a text has several words. The pins of a fold are excepted: `contract@1 anomalies@1`. */
const isSentence = (text: string): boolean => /\s/.test(text) && !/^\S+@\d+(?: \S+@\d+)*$/.test(text)

const membersOf = (ast: Ast): ReadonlyArray<SchemaAST.AST> =>
  ast === undefined ? [] : ast._tag === "Union" ? ast.types.flatMap(membersOf) : [ast]

/** Tells whether a schema permits free text, or values of any form. */
const isTheirs = (ast: Ast): boolean => {
  const identifier = ast?.annotations?.["identifier"]
  if (ast?._tag === "Declaration") return identifier === undefined || identifier === "value" || identifier === "object"
  return identifier === "written"
}

/** Tells whether a member of a union describes an object: all required fields exist, and its literals agree. */
const has = (ast: SchemaAST.AST, value: object): boolean => {
  if (ast._tag === "Declaration") return true
  if (ast._tag !== "Objects") return false
  return ast.propertySignatures.every(({ name, type }) => {
    const field: unknown = (value as { readonly [name: PropertyKey]: unknown })[name]
    if (field === undefined) return type.context?.isOptional === true
    return type._tag !== "Literal" || type.literal === field
  })
}

const argsOf = (code: string): Ast => (Finding.isCode(code) ? (Finding.codes[code] as Schema.Top).ast : undefined)
