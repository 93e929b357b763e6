import { connectToService, type ServiceClient } from './service-client.ts'

/** Asks the running service of a data folder, and closes the connection to it. @throws as `connectToService` does. */
export async function askService<Answer>(
  dataFolder: string,
  ask: (service: ServiceClient) => Promise<Answer>,
): Promise<Answer> {
  const service = await connectToService(dataFolder)
  try {
    return await ask(service)
  } finally {
    await service.close()
  }
}
