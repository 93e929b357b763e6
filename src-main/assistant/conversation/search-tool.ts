/** The tool that searches the knowledge of an agent. It is part of the service, so it belongs to no connection. */
export const searchTool = {
  name: 'search_knowledge',
  description:
    'Searches the files that the owner of the agent has uploaded, and returns the passages that fit, each with its file and page. Search for the words that such a text would have.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'The words to search for.' } },
    required: ['query'],
    additionalProperties: false,
  },
} as const
