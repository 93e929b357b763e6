/** Actions in one import, and event types. */
export const maxEntries = 10_000
/** Values of a JSON document, including objects and arrays. Each takes some hundred bytes once checked. */
export const maxValues = 1_000_000
/** Tokens of a YAML document. Its parser needs several hundred bytes for each. */
export const maxYamlTokens = 600_000
/** Bytes of a curl command. Shell syntax is much slower to parse than JSON. */
export const maxCurlBytes = 1024 * 1024
/** Characters of the actions that an OpenAPI document or a Postman collection becomes, and of its samples. */
export const maxActionsText = 10 * 1024 * 1024
export const maxSamplesText = 2 * 1024 * 1024
/** Omitted parts of an OpenAPI document that are listed. */
export const maxOmissions = 1000
