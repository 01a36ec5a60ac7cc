/** Checks an expression before it runs: its names, types and sealed values. Collects the fields that it reads. */
import type { ASTNode } from "@marcbachmann/cel-js"
import * as Decimal from "../values/Decimal.ts"
import * as Field from "../values/Field.ts"
import * as NearestName from "../values/NearestName.ts"
import { type CompiledPart, float, integer, string } from "./compiledPart.ts"
import * as Value from "./operators.ts"

/** A mistake in an expression. */
export interface Remark {
  readonly start: number
  readonly end: number
  readonly found: string
  readonly expected: string
  readonly hint?: string
  /** A warning about a field that can never exist: in a new contract, it is an error. */
  readonly isClosed?: boolean
}

/** A variable of a comprehension: its slot in the frame, and its type. */
interface Local {
  readonly slot: number
  readonly type: Field.Field | undefined
}

/** Knows the names in scope, and collects mistakes and read fields. */
export class Checker {
  readonly errors: Array<Remark> = []
  readonly warnings: Array<Remark> = []
  readonly reads = new Set<string>()
  slots = 0
  protected readonly names: Readonly<Record<string, Field.Field | "any">>
  protected readonly plain: boolean
  protected locals: ReadonlyMap<string, Local> = new Map()

  constructor(names: Readonly<Record<string, Field.Field | "any">>, plain: boolean) {
    this.names = names
    this.plain = plain
  }

  /** Records an error and continues, so that all errors of an expression are found at once. */
  protected refuse(node: ASTNode, found: string, expected: string, hint?: string): CompiledPart {
    this.errors.push({ start: node.start, end: node.end, found, expected, ...(hint === undefined ? {} : { hint }) })
    return { run: () => Value.raise("the expression is invalid", node.start), type: undefined }
  }

  protected open(part: CompiledPart, node: ASTNode): CompiledPart {
    if (part.sealed !== undefined && !this.plain) {
      this.refuse(
        node,
        `${part.sealed}, which is sensitive`,
        "a value that is not sealed",
        "compare it with another sealed value, copy it, or commit a fact in clear, such as facts: { over_18: … }"
      )
    }
    return part
  }

  protected outOfScope(node: ASTNode, name: string): CompiledPart {
    const known = Object.keys(this.names).join(", ")
    return this.refuse(
      node,
      `the name ${name}`,
      `one of the names in scope here: ${known}`,
      `text needs quotes: '${name}'`
    )
  }

  protected declared(): ReadonlyArray<string> {
    return (["world", "working"] as const).flatMap((section) => {
      const shape = this.names[section]
      return typeof shape === "object" && shape.type === "object"
        ? Object.keys(shape.fields).map((field) => `${section}.${field}`)
        : []
    })
  }

  protected fieldType(
    node: ASTNode,
    type: Field.Field | undefined,
    key: string,
    path: ReadonlyArray<string> | undefined
  ): Field.Field | undefined {
    if (type === undefined || type.type === "json") return undefined
    if (type.type === "table") return type.row
    if (type.type !== "object") {
      this.refuse(node, `the field ${key} of a value that is ${type.type}`, "a field of an object or a row of a table")
      return undefined
    }
    if (Object.hasOwn(type.fields, key)) return type.fields[key]
    const known = Object.keys(type.fields).join(", ")
    const name = path?.join(".") ?? `.${key}`
    const near = NearestName.nearest(key, Object.keys(type.fields))
    const finding = {
      start: node.start,
      end: node.end,
      found: name,
      expected: `a declared field: ${known || "none is declared"}`,
      ...(near === undefined ? {} : { hint: `Did you mean ${near}?` })
    }
    // Tools answer more than packs declare, so unknown fields of answers are allowed. Arguments and states have only
    // the declared fields.
    const root = path?.[0]
    if (root === "args" && known !== "") this.warnings.push({ ...finding, isClosed: true })
    else if (root === "args" || root === "observed" || root === "actual") this.warnings.push(finding)
    else this.errors.push(finding)
    return undefined
  }

  /** The static path of an access, if it starts at a name in scope. */
  protected pathOf(node: ASTNode): ReadonlyArray<string> | undefined {
    if (node.op === "id") return this.locals.has(node.args) ? undefined : [node.args]
    if (node.op === ".") {
      const target = this.pathOf(node.args[0])
      return target === undefined ? undefined : [...target, node.args[1]]
    }
    if (node.op === "[]" && node.args[1].op === "value" && typeof node.args[1].args === "string") {
      const target = this.pathOf(node.args[0])
      return target === undefined ? undefined : [...target, node.args[1].args]
    }
    return undefined
  }

  /** Replaces the read of a whole section by the read of one of its fields. */
  protected narrowReads(before: ReadonlySet<string>, path: ReadonlyArray<string>): void {
    const depth = path[0] === "before" || path[0] === "after" ? 3 : 2
    if (path.length > depth) return
    const parent = path.slice(0, -1).join(".")
    if (!before.has(parent)) this.reads.delete(parent)
    this.reads.add(path.join("."))
  }

  /**
   * Refuses the comparison of a sealed value with one in clear, which is never true. Null is allowed, because it is
   * never sealed.
   */
  protected alike(node: ASTNode, left: CompiledPart, right: CompiledPart): void {
    if (this.plain || (left.sealed === undefined) === (right.sealed === undefined)) return
    const [sealed, other] = left.sealed === undefined ? [right, left] : [left, right]
    if (other.literal === null || (other.type === undefined && other.literal === undefined)) return
    const expected = "two values that are sealed"
    this.refuse(node, `a comparison of ${sealed.sealed}, which is sensitive, with a value in clear`, expected)
  }

  /** Warns of a comparison of an expression with itself, which proves nothing. */
  protected different(node: ASTNode, left: ASTNode, right: ASTNode): void {
    if (left.op === "value" || shapeOf(left) !== shapeOf(right)) return
    const expected = "two things to compare"
    this.warnings.push({ start: node.start, end: node.end, found: "a comparison of something with itself", expected })
  }

  /** Warns of a threshold that is finer than the field beside it, which is rounded before it is compared. */
  protected aligned(node: ASTNode, part: CompiledPart, other: CompiledPart): void {
    if (part.type?.type !== "float" || part.type.precision === undefined || typeof other.literal !== "number") return
    const { precision } = part.type
    const digits = digitsOf(other.literal)
    if (digits <= precision) return
    this.warnings.push({
      start: node.start,
      end: node.end,
      found: `${other.literal}, which has ${digits} digits behind the point`,
      expected: `a threshold of at most ${precision}, as the field is declared`,
      hint: "the field is rounded first, so the finer digits compare with no value that it can have"
    })
  }

  /** Warns of a quotient that is a whole number in other profiles of CEL and exact in this one. */
  protected fractional(node: ASTNode): void {
    const hint = "7 / 2 is 3.5, as it is of fields; in CEL it is 3"
    const expected = "int(...) around it for its whole part, or 7.0 / 2"
    this.warnings.push({ start: node.start, end: node.end, found: "a quotient of whole numbers", expected, hint })
  }

  /** Refuses a comparison that can never be true because the two sides have different kinds. */
  protected comparable(node: ASTNode, left: CompiledPart, right: CompiledPart): void {
    if (left.type === undefined || right.type === undefined) return
    const a = Field.kindOf(left.type)
    const b = Field.kindOf(right.type)
    if (a === undefined || b === undefined || a === b) return
    if (left.type.type === "decimal" && Decimal.from(right.literal) !== undefined) return
    if (right.type.type === "decimal" && Decimal.from(left.literal) !== undefined) return
    this.refuse(node, `a comparison of ${left.type.type} with ${right.type.type}`, "two values of one kind")
  }

  /** Refuses equality with a word that an enum does not have. */
  protected possible(node: ASTNode, part: CompiledPart, other: CompiledPart): void {
    if (part.type?.type !== "enum" || typeof other.literal !== "string") return
    if (part.type.values.includes(other.literal)) return
    this.refuse(node, JSON.stringify(other.literal), `one of ${part.type.values.join(", ")}`)
  }

  protected result(
    node: ASTNode,
    operator: string,
    left: Field.Field | undefined,
    right: Field.Field | undefined,
    isQuotient: boolean
  ): Field.Field | undefined {
    const decimal = left?.type === "decimal" ? left : right?.type === "decimal" ? right : undefined
    if (decimal !== undefined && (operator === "/" || operator === "%")) {
      this.refuse(
        node,
        `${operator} with a decimal`,
        "double(...) around the decimal",
        "a decimal has no exact quotient"
      )
    }
    if (left === undefined || right === undefined) return decimal
    const a = Field.kindOf(left)
    const b = Field.kindOf(right)
    if (a === undefined || b === undefined) return undefined
    if (a === "number" && b === "number")
      return decimal ?? (left.type === "int" && right.type === "int" && !isQuotient ? integer : float)
    if (operator === "+" && a === b && (a === "text" || a === "list")) return a === "text" ? string : left
    this.refuse(
      node,
      `${operator} between ${left.type} and ${right.type}`,
      "two numbers (or, for +, two strings or two lists)"
    )
    return undefined
  }
}

/** The digits of a number behind the point. */
const digitsOf = (value: number): number => {
  const [digits = "", exponent = "0"] = String(value).split("e")
  return Math.max(0, (digits.split(".")[1]?.length ?? 0) - Number(exponent))
}

/** Text of a syntax tree without positions: equal for two equal expressions. */
const shapeOf = (node: ASTNode): string =>
  JSON.stringify([node.op, node.args], (_, value: unknown) =>
    isNode(value) ? [value.op, value.args] : typeof value === "bigint" ? `${value}n` : value
  )

const isNode = (value: unknown): value is ASTNode =>
  typeof value === "object" && value !== null && "op" in value && "args" in value
