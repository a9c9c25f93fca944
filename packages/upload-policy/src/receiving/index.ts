export type { UploadDestination, UploadSource } from './destination.js';
export { createFileDestination, type FileDestinationOptions, TEMPORARY_SUFFIX } from './file-destination.js';
export { receiveUpload } from './receive-upload.js';
export type { ReceivedFile, ReceivedUpload } from './received-upload.js';
export { lingerAfterAnswer } from './request-body.js';
export type { UploadReceiver } from './upload-receiver.js';
