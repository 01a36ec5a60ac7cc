export * as IdempotencyKey from "./IdempotencyKey.ts"
export * as OpenActions from "./OpenActions.ts"
export * as UsedKeys from "./UsedKeys.ts"
