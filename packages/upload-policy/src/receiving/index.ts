export { createFileDestination, type FileDestinationOptions, TEMPORARY_SUFFIX } from './file-destination.js';
export { trackReceiveCalls } from './receive-calls.js';
export { receiveUpload } from './receive-upload.js';
export { lingerAfterAnswer } from './request-body.js';
export type { ReceivedFile, ReceivedUpload, UploadDestination, UploadReceiver } from './upload-receiver.js';
export { beginUploadOf, countUploadsUnderWay } from './uploads-under-way.js';
